# SPDX-License-Identifier: BSD-3-Clause
# HYB_FIND_OTF2: defines the conditional HAVE_OTF2, and OTF2_CPPFLAGS, OTF2_LIBS, OTF2_NAME. Only
# hybmon-merge uses OTF2, for what it writes unless told otherwise.
AC_DEFUN([HYB_FIND_OTF2], [
	AC_ARG_WITH([otf2], [AS_HELP_STRING([--with-otf2=CONFIG],
		[the otf2-config of the OTF2 to write traces with; "no" does without it, and hybmon-merge writes no OTF2
		(default: otf2-config)])], [], [with_otf2=$hyb_default])
	AS_CASE([$with_otf2],
		[yes|check|''], [AC_CHECK_PROG([OTF2_CONFIG], [otf2-config], [otf2-config])],
		[no], [OTF2_CONFIG=],
		[OTF2_CONFIG=$with_otf2])
	OTF2_CPPFLAGS= OTF2_LIBS= OTF2_NAME=
	AS_IF([test -n "$OTF2_CONFIG"], [
		OTF2_CPPFLAGS=`$OTF2_CONFIG --cflags`
		OTF2_LIBS="`$OTF2_CONFIG --ldflags` `$OTF2_CONFIG --libs`"
		AC_MSG_CHECKING([whether OTF2 of $OTF2_CONFIG works])
		hyb_save_CPPFLAGS=$CPPFLAGS hyb_save_LIBS=$LIBS
		CPPFLAGS="$CPPFLAGS $OTF2_CPPFLAGS" LIBS="$OTF2_LIBS $LIBS"
		AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <otf2/otf2.h>]],
			[[OTF2_Archive_Close(0);]])],
			[OTF2_NAME="OTF2 `$OTF2_CONFIG --version | $SED 's/.*version *//'`"
			AC_MSG_RESULT([yes])],
			[AC_MSG_RESULT([no])
			OTF2_CPPFLAGS= OTF2_LIBS=
			AS_IF([test "$with_otf2" != check],
				[AC_MSG_ERROR([--with-otf2: $OTF2_CONFIG does not lead to a working OTF2; see config.log])])])
		CPPFLAGS=$hyb_save_CPPFLAGS LIBS=$hyb_save_LIBS
	])
	AS_IF([test "$with_otf2" = yes && test -z "$OTF2_NAME"], [AC_MSG_ERROR([--with-otf2: there is no otf2-config])])
	AC_SUBST([OTF2_CPPFLAGS])
	AC_SUBST([OTF2_LIBS])
	AC_SUBST([OTF2_NAME])
	AM_CONDITIONAL([HAVE_OTF2], [test -n "$OTF2_NAME"])
	HYB_HAVE([OTF2], [$OTF2_NAME])
])
